"""What people read: comments, pull request, iteration log, check, report. Pure: values in, text out."""
