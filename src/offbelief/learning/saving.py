"""Networks and their optimizer as named tensors, for checkpoints."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn


def as_tensors(networks: Mapping[str, nn.Module], optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Everything that training changes in them, by name."""
    tensors: dict[str, Tensor] = {}
    for name, network in networks.items():
        tensors |= {f"{name}/{key}": tensor for key, tensor in network.state_dict().items()}
    for index, state in optimizer.state_dict()["state"].items():
        tensors |= {f"adam/{index}/{key}": tensor for key, tensor in state.items()}
    return tensors


def take_over(
    tensors: Mapping[str, Tensor], networks: Mapping[str, nn.Module], optimizer: torch.optim.Optimizer
) -> None:
    """Put back what `as_tensors` gave; other tensors are ignored.

    Raises:
        KeyError, RuntimeError, ValueError: they belong to other networks.
    """
    for name, network in networks.items():
        prefix = f"{name}/"
        network.load_state_dict(
            {key.removeprefix(prefix): tensor for key, tensor in tensors.items() if key.startswith(prefix)}
        )
    state = optimizer.state_dict()
    for key, tensor in tensors.items():
        if key.startswith("adam/"):
            _, index, name = key.split("/")
            state["state"].setdefault(int(index), {})[name] = tensor
    optimizer.load_state_dict(state)
