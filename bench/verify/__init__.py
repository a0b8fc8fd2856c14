"""`selfcode verify` on fixes that people made, and on the same fixes broken: what is proven, what is caught."""
