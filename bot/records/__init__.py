"""The values and protocols that all rooms speak in. Pure: no clock, no I/O; frozen, and JSON by `dump` and `load`.

Other rooms have them from here, never from the modules inside.
"""

from bot.records.changes import Change, ChangedFile
from bot.records.examination import Examination, Fault, Health, Offline, SandboxFacts
from bot.records.github import (
    ANNOTATIONS_AT_MOST,
    Annotation,
    AnnotationLevel,
    GitHub,
    PullRequest,
    PullRequestText,
    RepositoryInfo,
)
from bot.records.issues import Comment, Issue, Task
from bot.records.outcomes import Outcome, RunResult, StopCheck
from bot.records.places import PERMISSIONS, IssueRef, Person, RepositoryRef
from bot.records.plans import Finding, TestPlan, joined
from bot.records.proof import Evidence, Hunk, HunkCheck, ImageIdentity, Proof, Provenance
from bot.records.reports import ReportState, TestCase, TestReport, TestStatus
from bot.records.spending import Caps, Spend, Usage
from bot.records.storing import dump, load, storable
from bot.records.triggers import Inbox, Receipt, Trigger, TriggerKind
from bot.records.work import ActionTaken, Aim, Call, Candidate, Iteration, Progress, Reproduce, Verdict
from bot.records.workbench import Readable, Unreproduced, Workbench

__all__ = [
    "ANNOTATIONS_AT_MOST",
    "PERMISSIONS",
    "ActionTaken",
    "Aim",
    "Annotation",
    "AnnotationLevel",
    "Call",
    "Candidate",
    "Caps",
    "Change",
    "ChangedFile",
    "Comment",
    "Evidence",
    "Examination",
    "Fault",
    "Finding",
    "GitHub",
    "Health",
    "Hunk",
    "HunkCheck",
    "ImageIdentity",
    "Inbox",
    "Issue",
    "IssueRef",
    "Iteration",
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
    "RunResult",
    "SandboxFacts",
    "Spend",
    "StopCheck",
    "Task",
    "TestCase",
    "TestPlan",
    "TestReport",
    "TestStatus",
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
