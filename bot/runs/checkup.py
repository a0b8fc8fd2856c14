"""What is to be thought of what GitHub and this machine say of themselves. Pure; each answer is one `Check`."""

from collections.abc import Collection, Mapping, Sequence

from bot.records import AppFacts, Check, CheckState, Delivered, HookFacts, InstallationFacts, lacking

KEY, CLOCK, WEBHOOK, DELIVERIES = "key", "clock", "webhook", "deliveries"
PERMISSIONS, INSTALLATION, SIGN_IN = "permissions", "installation", "sign-in"

CLOCK_NOTED_S = 5.0
CLOCK_BAD_S = 30.0
"""A token of the App's is dated a minute back: a clock that is further ahead is refused.

Source: https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
"""


def about_key(app: AppFacts, *, slug: str) -> Check:
    """Whether the key is the App's, and the App the one that the settings name."""
    who = f"App {app.id} ({app.slug}) of {app.owner}"
    if app.slug != slug:
        words = f"{who}; SELFCODE_APP_SLUG says {slug}: the web process takes what the bot itself writes for a person's"
        return Check(KEY, CheckState.BAD, words, f"export SELFCODE_APP_SLUG={app.slug}")
    return Check(KEY, CheckState.GOOD, who)


def about_clock(ahead_s: float | None) -> Check:
    """Whether this machine's clock goes with GitHub's."""
    if ahead_s is None:
        return Check(CLOCK, CheckState.UNKNOWN, "GitHub's answer says no time")
    if abs(ahead_s) < CLOCK_NOTED_S:
        return Check(CLOCK, CheckState.GOOD, "goes with GitHub's")
    words = f"{abs(ahead_s):.0f} s {'ahead of' if ahead_s > 0 else 'behind'} GitHub's"
    if abs(ahead_s) < CLOCK_BAD_S:
        return Check(CLOCK, CheckState.NOTED, words)
    return Check(
        CLOCK,
        CheckState.BAD,
        f"{words}: GitHub refuses the tokens of a clock that goes wrong",
        "timedatectl set-ntp true",
    )


def about_permissions(wanted: Mapping[str, str], events: Collection[str], app: AppFacts, *, page: str) -> Check:
    """Whether the App asks for what app.yml does. `page` is where its owner changes that."""
    missing = _missing(wanted, events, app.permissions, app.events)
    if missing:
        return Check(PERMISSIONS, CheckState.BAD, f"the App lacks {missing}", f"open {page} and add them")
    if more := lacking(app.permissions, wanted):
        return Check(PERMISSIONS, CheckState.NOTED, f"the App may more than it needs: {_levels(more)}")
    return Check(PERMISSIONS, CheckState.GOOD, "those of app.yml, its events too")


def about_installation(
    wanted: Mapping[str, str], events: Collection[str], there: InstallationFacts, *, owners: Collection[str]
) -> Check:
    """Whether an account has granted what app.yml asks for. `owners` are whom we serve, in lower case; none for all."""
    if owners and there.account.lower() not in owners:
        words = f"{there.account}: is not served, by SELFCODE_ALLOWED_OWNERS"
        return Check(INSTALLATION, CheckState.NOTED, words)
    if there.is_suspended:
        return Check(INSTALLATION, CheckState.NOTED, f"{there.account}: is suspended", f"open {there.html_url}")
    missing = _missing(wanted, events, there.permissions, there.events)
    if missing:
        mend = f"let the owner of {there.account} accept them at {there.html_url}"
        return Check(INSTALLATION, CheckState.BAD, f"{there.account}: lacks {missing}", mend)
    return Check(INSTALLATION, CheckState.GOOD, f"{there.account}: has granted all")


def about_hook(hook: HookFacts, *, address: str | None, nowhere: str, polls_s: float | None) -> Check:
    """Whether GitHub sends to our `address`; or, where it can't, whether deliveries are fetched every `polls_s`."""
    if polls_s is not None and (address is None or hook.url == nowhere):
        return Check(WEBHOOK, CheckState.GOOD, f"deliveries are fetched every {polls_s:g} s")
    if hook.url == nowhere:
        words = f"GitHub sends to {hook.url}, which leads nowhere, and nothing fetches deliveries"
        return Check(WEBHOOK, CheckState.BAD, words, "export SELFCODE_POLL_SECONDS=30")
    if not hook.checks_certificate:
        words = f"GitHub sends to {hook.url} without a look at its certificate"
        return Check(WEBHOOK, CheckState.NOTED, words, "turn SSL verification on in the App's settings")
    if address is None:
        words = f"GitHub sends to {hook.url}; whether that is here is not known"
        return Check(
            WEBHOOK, CheckState.NOTED, words, f"export SELFCODE_PUBLIC_URL={hook.url.removesuffix('/webhook')}"
        )
    if hook.url != address:
        words = f"GitHub sends to {hook.url}, and this is {address}"
        return Check(WEBHOOK, CheckState.BAD, words, f"set the Webhook URL to {address} in the App's settings")
    return Check(WEBHOOK, CheckState.GOOD, f"GitHub sends to {hook.url}")


def about_deliveries(last: Sequence[Delivered]) -> Check:
    """What came of the last deliveries, the newest first. The newest decides: the others may be of another time."""
    if not last:
        return Check(DELIVERIES, CheckState.NOTED, "GitHub has sent none in the last days")
    failed = [each for each in last if not each.was_taken]
    if not failed:
        return Check(DELIVERIES, CheckState.GOOD, f"the last {len(last)} were taken")
    how = f"{failed[0].status or 'no answer'}{f', {failed[0].words}' if failed[0].words else ''}"
    words = f"{len(failed)} of the last {len(last)} were not taken; the newest of them, {failed[0].event}: {how}"
    if last[0].was_taken:
        return Check(DELIVERIES, CheckState.NOTED, words)
    return Check(DELIVERIES, CheckState.BAD, words, _MENDS.get(failed[0].status, _NOBODY_ANSWERS))


_NOBODY_ANSWERS = "curl -i SELFCODE_PUBLIC_URL/healthz from elsewhere; the reverse proxy must pass /webhook on"
_MENDS = {
    401: "set SELFCODE_WEBHOOK_SECRET to the App's webhook secret, or give the App a new one",
    404: "let the reverse proxy pass /webhook on to this machine",
    503: "look at the database and the disk, below",
}


def _missing(
    wanted: Mapping[str, str], events: Collection[str], granted: Mapping[str, str], heard: Collection[str]
) -> str:
    """What is missing, in words; "" for nothing."""
    levels, unheard = lacking(wanted, granted), sorted(set(events) - set(heard))
    parts = [_levels(levels)] if levels else []
    parts += [f"events {', '.join(unheard)}"] if unheard else []
    return "; ".join(parts)


def _levels(levels: Mapping[str, str]) -> str:
    return ", ".join(f"{name}: {level}" for name, level in sorted(levels.items()))
