"""A small program in the bot's place: answers `/readyz` and `/webhook`, and publishes what its one argument says.

`proven` opens a pull request with a check, `unsolved` comments only, `early` ends before it is ready, `late` dies when
it is asked to work. A child of its own process group waits beside it, as workers do.
"""

import json
import os
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import jwt
import requests

API = os.environ.get("SELFCODE_GITHUB_API_URL", "")
BRANCH = "selfcode/issue-1"


def token(installation: int) -> str:
    now = int(time.time())
    claims = {"iat": now - 60, "exp": now + 300, "iss": os.environ["SELFCODE_APP_ID"]}
    signed = jwt.encode(claims, os.environ["SELFCODE_PRIVATE_KEY"], "RS256")
    path = f"{API}/app/installations/{installation}/access_tokens"
    answer = requests.post(path, headers={"Authorization": f"Bearer {signed}"}, timeout=10)
    return str(answer.json()["token"])


def work(payload: dict[str, Any], kind: str) -> None:
    secret = token(payload["installation"]["id"])
    repository = f"{API}/repos/{payload['repository']['full_name']}"
    headers = {"Authorization": f"token {secret}"}
    issue = f"{repository}/issues/{payload['issue']['number']}"
    progress = requests.post(
        f"{issue}/comments", json={"body": "🔧 **selfcode is on it**: iteration 1."}, headers=headers, timeout=10
    ).json()
    result = "**Not solved**: the tests still fail."
    if kind == "proven":
        publish(payload["repository"]["clone_url"], secret, repository, headers)
        result = "✅ **Proven**: 1 test fails without this change."
    requests.patch(progress["url"], json={"body": f"{result}\n"}, headers=headers, timeout=10)


def publish(clone_url: str, secret: str, repository: str, headers: dict[str, str]) -> None:
    folder = Path(os.environ["SELFCODE_HOME"]) / "checkout"
    url = clone_url.replace("://", f"://x-access-token:{secret}@")
    subprocess.run(["git", "clone", "-q", url, str(folder)], check=True)
    (folder / "NEWS").write_text("Mended.\n")
    git = ["git", "-C", str(folder), "-c", "user.name=bot", "-c", "user.email=bot@example.com"]
    subprocess.run([*git, "add", "NEWS"], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "Mend it"], check=True)
    subprocess.run([*git, "push", "-q", "origin", f"HEAD:refs/heads/{BRANCH}"], check=True)
    evidence = "| before | after |\n|---|---|\n| red | green |\n\n"
    body = f"✅ **Proven**\n\n{evidence}<details><summary>More</summary>\n\nx\n</details>\n"
    text = {"title": "Mend it (#1)", "head": BRANCH, "base": "main", "body": body}
    pull = requests.post(f"{repository}/pulls", json=text, headers=headers, timeout=10).json()
    check = {"name": "selfcode", "head_sha": pull["head"]["sha"], "status": "completed", "conclusion": "success"}
    output = {"title": "Proven", "summary": "1 test"}
    requests.post(f"{repository}/check-runs", json=check | {"output": output}, headers=headers, timeout=10)


class Handler(BaseHTTPRequestHandler):
    kind = "proven"

    def do_GET(self) -> None:
        self._answer(200)

    def do_POST(self) -> None:
        payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._answer(202)
        if payload.get("action") == "labeled":
            if self.kind == "late":
                sys.stdout.write("the database is on fire\n")
                sys.stdout.flush()
                os._exit(3)
            threading.Thread(target=work, args=(payload, self.kind), daemon=True).start()

    def _answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - http.server's name
        pass


def main() -> None:
    kind = sys.argv[1]
    child = subprocess.Popen(["sleep", "300"])
    Path(sys.argv[2]).write_text(f"{os.getpid()} {child.pid}")
    if kind == "early":
        sys.stdout.write("SELFCODE_APP_ID is not set\n")
        sys.exit(2)
    Handler.kind = kind
    HTTPServer(("127.0.0.1", int(os.environ["SELFCODE_PORT"])), Handler).serve_forever()


if __name__ == "__main__":
    main()
