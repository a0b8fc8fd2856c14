"""A commit's message as the issue that it mends: without what gives the answer away. Pure.

Taken out are the fix's own lines, diffs, the paths that it changes, names that nobody knew before it, links, commits'
ids, numbers of issues, trailers. A name that the fix brings stays where its tests ask for it: without it nobody could
give them what they want. The time that it takes grows with the text and the fix, not with their product.
"""

from bot.backtest.words.subjects import is_of_a_pull, is_taking_back
from bot.backtest.words.telling import Given, Told, told_by_issue, told_by_message

__all__ = ["Given", "Told", "is_of_a_pull", "is_taking_back", "told_by_issue", "told_by_message"]
