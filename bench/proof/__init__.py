"""What a proof costs over one plain run of the tests, and what reading a large report costs."""
