"""Networks and optimizers survive being saved, however often."""

import copy

import torch
from torch import nn

from offbelief.learning.saving import as_tensors, take_over


def new(seed):
    """Six layers, so that the optimizer has states beyond number 9, all of the same shape: nobody else would notice."""
    torch.manual_seed(seed)
    network = nn.Sequential(*[nn.Linear(3, 3) for _ in range(6)])
    return network, torch.optim.Adam(network.parameters())


def test_saved_again_after_loading_is_the_same():
    network, optimizer = new(0)
    network(torch.randn(4, 3)).sum().backward()
    optimizer.step()
    saved = {key: tensor.clone() for key, tensor in as_tensors({"online": network}, optimizer).items()}
    for _ in range(2):
        other, its_optimizer = new(1)
        in_file_order = {key: saved[key] for key in sorted(saved)}  # a file lists adam/10 before adam/2
        take_over(copy.deepcopy(in_file_order), {"online": other}, its_optimizer)
        again = as_tensors({"online": other}, its_optimizer)
        assert saved.keys() == again.keys()
        assert all(torch.equal(tensor, again[key]) for key, tensor in saved.items())
        saved = {key: tensor.clone() for key, tensor in again.items()}
