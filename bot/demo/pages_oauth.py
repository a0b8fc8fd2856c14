"""The page where somebody lets an App ask in their name, and where the App gets its tokens."""

import json

from flask import Flask, Response, request

from bot.demo import oauth
from bot.demo.answers import not_found
from bot.demo.changes import Changes
from bot.demo.markup import escape, page
from bot.demo.people import Asked

_LOGINS_AT_MOST = 50


class SigningInPages:
    """Anybody can be chosen here: this server knows no passwords."""

    def __init__(self, changes: Changes) -> None:
        self._world = changes.world

    def hang_up(self, app: Flask) -> None:
        for method, path, shown in (
            ("GET", "/login/oauth/authorize", self.choose),
            ("POST", "/login/oauth/authorize", self.decide),
            ("POST", "/login/oauth/access_token", self.token),
        ):
            app.add_url_rule(path, f"oauth{method}{path}", shown, methods=[method])

    def choose(self) -> Response:
        asked = self._asked()
        people = [found for found in self._world.accounts.values() if found.kind == "User"][:_LOGINS_AT_MOST]
        buttons = "".join(
            f'<p><button name="login" value="{escape(each.login)}">Sign in as {escape(each.login)}</button></p>'
            for each in people
        )
        no = '<p><button name="login" value="">Cancel</button></p>'
        return page(f"Authorize {asked.app.slug}", f'<form method="post">{buttons}{no}</form>')

    def decide(self) -> Response:
        asked, login = self._asked(), request.form.get("login", "")
        back = oauth.say_yes(self._world, asked, self._world.account(login)) if login else oauth.say_no(asked)
        return Response(status=302, headers={"Location": back})

    def token(self) -> Response:
        try:
            told = oauth.give_token(self._world, request.form)
        except oauth.Refusal as refusal:
            told = refusal.answer
        return Response(json.dumps(told), content_type="application/json; charset=utf-8")

    def _asked(self) -> Asked:
        try:
            found = oauth.read_asked(self._world, request.args)
        except oauth.Refusal:
            found = None
        if found is None:
            raise not_found()
        return found
