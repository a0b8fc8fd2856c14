"""Keys for the Apps of hubs, for which it takes long to make them: made once for all hubs of a test process."""

from itertools import count

from bot.demo.keys import KeyPair, key_pair

_made: list[KeyPair] = []


class Keys:
    """The keys of one hub, no two the same; another hub's Apps may have them as well."""

    def __init__(self) -> None:
        self._numbers = count()

    def __call__(self) -> KeyPair:
        number = next(self._numbers)
        while number >= len(_made):
            _made.append(key_pair())
        return _made[number]
