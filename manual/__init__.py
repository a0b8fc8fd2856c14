"""docs/ as it is kept: tables that are made of the code, links that lead somewhere, the site."""
