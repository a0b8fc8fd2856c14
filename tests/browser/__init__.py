"""The pages in a real browser, as people have them: Chromium, driven by Playwright, against the real web server."""
