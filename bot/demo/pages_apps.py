"""Web pages about Apps: where one is created from a manifest, and where it is installed."""

from flask import Flask, Response, request

from bot.demo import installing
from bot.demo.answers import ApiError, not_found
from bot.demo.changes import Changes
from bot.demo.markup import escape, page
from bot.demo.registering import create_from, read_manifest
from bot.demo.state import Account, App, Installation


class AppPages:
    """The pages of whoever is signed in: the world's `signed_in`."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._world = changes.world

    def hang_up(self, app: Flask) -> None:
        for method, path, shown in (
            ("POST", "/settings/apps/new", self.ask),
            ("POST", "/organizations/<organization>/settings/apps/new", self.ask),
            ("POST", "/settings/apps/manifest", self.create),
            ("GET", "/apps/<slug>/installations/new", self.choose),
            ("POST", "/apps/<slug>/installations/new", self.install),
        ):
            app.add_url_rule(path, f"apps{method}{path}", shown, methods=[method])

    def ask(self, organization: str = "") -> Response:
        """The name once more, and the button that creates the App."""
        manifest = request.form.get("manifest", "")
        name = read_manifest(manifest).name
        owner = organization or self._me().login
        hidden = {"manifest": manifest, "state": request.args.get("state", ""), "owner": owner}
        fields = "".join(
            f'<input type="hidden" name="{each}" value="{escape(value)}">' for each, value in hidden.items()
        )
        form = (
            f'<form method="post" action="/settings/apps/manifest">{fields}<label>GitHub App name '
            f'<input name="name" value="{escape(name)}"></label> '
            f"<button>Create GitHub App for {escape(owner)}</button></form>"
        )
        return page("Create GitHub App", form)

    def create(self) -> Response:
        owner = self._world.account(request.form.get("owner", ""))
        back = create_from(
            self._world,
            self._changes.courier,
            read_manifest(request.form.get("manifest", "")),
            name=request.form.get("name", ""),
            owner=owner,
            state=request.form.get("state", ""),
        )
        return Response(status=302, headers={"Location": back})

    def choose(self, slug: str) -> Response:
        app = self._app(slug)
        button = f"<button>Install on all repositories of {escape(app.owner.login)}</button>"
        return page(f"Install {app.slug}", f'<form method="post">{button}</form>')

    def install(self, slug: str) -> Response:
        world, app = self._world, self._app(slug)
        there = next((each for each in world.installations.values() if each.app is app), None)
        if there is None:
            there = Installation(world.new_id(), app, app.owner, None, dict(app.permissions), world.now())
            installing.install(self._changes, there, app.owner)
        return page("Installed", f"<p>{escape(app.slug)} is installed on {escape(app.owner.login)}.</p>")

    def _me(self) -> Account:
        if self._world.signed_in is None:
            raise ApiError(401, "Sign in to GitHub")
        return self._world.signed_in

    def _app(self, slug: str) -> App:
        found = next((app for app in self._world.apps.values() if app.slug == slug), None)
        if found is None:
            raise not_found()
        return found
