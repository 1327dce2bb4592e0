import pytest
import torch

from offbelief.agents.device import find_device
from offbelief.errors import UserError


def test_cpu_is_always_there():
    assert torch.device("cpu") == find_device("cpu")


@pytest.mark.parametrize(
    ("name", "sentence"), [("toaster", "no device"), ("meta", "cpu or cuda"), ("cuda", "finds no GPU here")]
)
def test_absent_device_is_one_sentence(name, sentence, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(UserError, match=sentence):
        find_device(name)


def test_present_gpus_are_used_and_others_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    assert torch.device("cuda:0") == find_device("cuda:0")
    with pytest.raises(UserError, match="no 'cuda:1' here"):
        find_device("cuda:1")
