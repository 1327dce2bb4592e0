import json

import pytest

from offbelief import precision
from offbelief.interfaces.cli import main
from offbelief.interfaces.verbs import doctor


def test_doctor_is_content_with_this_environment(capsys):
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [] == found["missing"]
    assert "work" == found["kernels"]


@pytest.mark.parametrize(
    ("speed", "advice"),
    [
        (2.0, "2.0 times the speed of float32; train with --precision bfloat16"),
        (0.5, "float32"),
        (None, "not possible"),
    ],
)
def test_doctor_says_which_precision_is_faster(speed, advice, capsys, monkeypatch):
    monkeypatch.setattr(precision, "bfloat16_speed", lambda: speed)
    assert main(["doctor"]) == 0
    assert advice in capsys.readouterr().out


def test_doctor_says_what_is_missing(capsys, monkeypatch):
    monkeypatch.setattr(doctor, "PACKAGES", {**doctor.PACKAGES, "no-such-package": "needed"})
    assert main(["doctor"]) == 1
    shown = capsys.readouterr()
    assert "no-such-package" in shown.err
    assert "missing" in shown.out
