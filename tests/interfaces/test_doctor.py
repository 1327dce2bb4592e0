import json

from offbelief.interfaces.cli import main
from offbelief.interfaces.verbs import doctor


def test_doctor_is_content_with_this_environment(capsys):
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [] == found["missing"]
    assert "work" == found["kernels"]


def test_doctor_says_what_is_missing(capsys, monkeypatch):
    monkeypatch.setattr(doctor, "PACKAGES", {**doctor.PACKAGES, "no-such-package": "needed"})
    assert main(["doctor"]) == 1
    shown = capsys.readouterr()
    assert "no-such-package" in shown.err
    assert "missing" in shown.out
