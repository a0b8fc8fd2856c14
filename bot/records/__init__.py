"""The values and protocols that all rooms speak in. Pure: no clock, no I/O; frozen, and JSON by `dump` and `load`.

Other rooms have them from here, never from the modules inside.
"""

from bot.records.changes import Change, ChangedFile
from bot.records.conversation import (
    Answer,
    Attempt,
    FailedCheck,
    Note,
    Request,
    Review,
    ReviewComment,
    ReviewState,
    Thread,
)
from bot.records.defaults import DEFAULT_IMAGE, DEFAULT_MODEL
from bot.records.examination import Examination, Fault, Health, Offline, SandboxFacts
from bot.records.github import (
    ANNOTATIONS_AT_MOST,
    Annotation,
    AnnotationLevel,
    GitHub,
    MadeCommit,
    MergeState,
    PullRequest,
    PullRequestText,
    RepositoryInfo,
)
from bot.records.hindsight import DeliveryAttempt, DeliveryPage, Hindsight, Installed, LabelledIssue, Labelling
from bot.records.issues import Comment, Issue, Task
from bot.records.outcomes import Kept, Outcome, RunResult, SolvedConflict, StopCheck
from bot.records.places import OPERATOR, PERMISSIONS, IssueRef, Person, RepositoryRef
from bot.records.plans import Finding, TestPlan, joined
from bot.records.proof import Evidence, Hunk, HunkCheck, ImageIdentity, Proof, Provenance
from bot.records.reports import ReportState, TestCase, TestReport, TestStatus
from bot.records.spending import Caps, Spend, Usage
from bot.records.storing import dump, load, storable
from bot.records.triggers import Inbox, Receipt, Subject, SubjectKind, Trigger, TriggerKind
from bot.records.work import ActionTaken, Aim, Call, Candidate, Iteration, Progress, Reproduce, Verdict
from bot.records.workbench import Readable, Unreproduced, Workbench

__all__ = [
    "ANNOTATIONS_AT_MOST",
    "DEFAULT_IMAGE",
    "DEFAULT_MODEL",
    "OPERATOR",
    "PERMISSIONS",
    "ActionTaken",
    "Aim",
    "Annotation",
    "AnnotationLevel",
    "Answer",
    "Attempt",
    "Call",
    "Candidate",
    "Caps",
    "Change",
    "ChangedFile",
    "Comment",
    "DeliveryAttempt",
    "DeliveryPage",
    "Evidence",
    "Examination",
    "FailedCheck",
    "Fault",
    "Finding",
    "GitHub",
    "Health",
    "Hindsight",
    "Hunk",
    "HunkCheck",
    "ImageIdentity",
    "Inbox",
    "Installed",
    "Issue",
    "IssueRef",
    "Iteration",
    "Kept",
    "LabelledIssue",
    "Labelling",
    "MadeCommit",
    "MergeState",
    "Note",
    "Offline",
    "Outcome",
    "Person",
    "Progress",
    "Proof",
    "Provenance",
    "PullRequest",
    "PullRequestText",
    "Readable",
    "Receipt",
    "ReportState",
    "RepositoryInfo",
    "RepositoryRef",
    "Reproduce",
    "Request",
    "Review",
    "ReviewComment",
    "ReviewState",
    "RunResult",
    "SandboxFacts",
    "SolvedConflict",
    "Spend",
    "StopCheck",
    "Subject",
    "SubjectKind",
    "Task",
    "TestCase",
    "TestPlan",
    "TestReport",
    "TestStatus",
    "Thread",
    "Trigger",
    "TriggerKind",
    "Unreproduced",
    "Usage",
    "Verdict",
    "Workbench",
    "dump",
    "joined",
    "load",
    "storable",
]
