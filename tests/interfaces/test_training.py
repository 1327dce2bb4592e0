import pytest

from offbelief.errors import UserError
from offbelief.interfaces.training import configure


def test_minutes_replace_the_steps_of_a_preset():
    assert configure("paper-obl-1-2p", seed=0, minutes=None, steps=None).steps > 0
    config = configure("paper-obl-1-2p", seed=3, minutes=2.5, steps=None)
    assert (3, 2.5, 0) == (config.seed, config.minutes, config.steps)


def test_steps_replace_the_minutes_of_a_preset():
    assert 7 == configure("obl-1-mini", seed=0, minutes=None, steps=7).steps


def test_minutes_and_steps_exclude_each_other():
    with pytest.raises(UserError, match="not both"):
        configure("obl-1-mini", seed=0, minutes=1.0, steps=7)
