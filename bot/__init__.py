"""selfcode: labelled issues become pull requests that carry their proof."""
