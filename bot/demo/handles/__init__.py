"""What tests and the demo hold in their hands: a repository, an issue, a pull request on the stand-in.

Reading shows the state as it is now. Every method may be called from any thread. `by` is a login; the account is made
where it is new.
"""

from bot.demo.handles.accounts import account
from bot.demo.handles.issues import IssueHandle
from bot.demo.handles.pulls import PullHandle, ReviewHandle, ThreadHandle
from bot.demo.handles.repositories import RepositoryHandle
from bot.demo.reviewing import Remark

__all__ = ["IssueHandle", "PullHandle", "Remark", "RepositoryHandle", "ReviewHandle", "ThreadHandle", "account"]
