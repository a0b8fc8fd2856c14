"""What the demo tells of the bot's doings."""

from bot.demo.hub import Hub
from bot.demo.watching import Ending, Watch


def watching(hub: Hub) -> Watch:
    hub.create_user("octo")
    repository = hub.create_repository("octo/adder", {"README.md": "Adds.\n"})
    issue = repository.open_issue("It is broken", by="octo")
    return Watch(hub, hub.create_app(owner="octo"), repository, issue, {"Proven": "proven"})


def test_a_comment_that_was_edited_between_two_looks_is_told_in_each_of_its_texts(hub: Hub) -> None:
    watch = watching(hub)
    comment = watch.issue.comment("**On it**: iteration 1.", by=watch.app.bot.login)
    watch.issue.edit_comment(comment, "**On it**: iteration 2.", by=watch.app.bot.login)
    watch.issue.edit_comment(comment, "✅ **Proven**: 1 test.", by=watch.app.bot.login)

    told = list(watch.new())

    assert [line for line in told if not line.startswith("webhook")] == [
        "On it: iteration 1.",
        "On it: iteration 2.",
        "✅ Proven: 1 test.",
    ]
    assert watch.ending() == Ending("proven", "✅ Proven: 1 test.")


def test_nothing_is_told_twice(hub: Hub) -> None:
    watch = watching(hub)
    watch.issue.comment("**On it**: iteration 1.", by=watch.app.bot.login)
    list(watch.new())

    assert list(watch.new()) == []


def test_the_run_is_the_one_that_the_newest_comment_names(hub: Hub) -> None:
    watch = watching(hub)
    assert watch.run_id == ""

    watch.issue.comment("**On it**\n\n<sub>run `0123456789abcdef`</sub>", by=watch.app.bot.login)
    watch.issue.comment("I saw <sub>run `feed`</sub>", by="octo")

    assert watch.run_id == "0123456789abcdef"
