"""Where networks compute: the processor, or a GPU if there is one."""

import torch

from offbelief.nouns import UserError


def find_device(name: str) -> torch.device:
    """Find a device by torch's name for it, such as ``cpu``, ``cuda`` or ``cuda:1``.

    Raises:
        UserError: there is no such device here.
    """
    try:
        device = torch.device(name)
    except RuntimeError:
        raise UserError(f"'{name}' is no device; give cpu, or cuda for a GPU.") from None
    if device.type == "cpu":
        return device
    if device.type != "cuda":
        raise UserError(f"The device is cpu or cuda, not '{name}'.")
    if not torch.cuda.is_available():
        raise UserError(f"torch {torch.__version__} finds no GPU here, so it cannot use '{name}'; leave --device out.")
    if device.index is not None and device.index >= torch.cuda.device_count():
        raise UserError(f"There is no '{name}' here: torch finds {torch.cuda.device_count()} GPU, counted from 0.")
    return device
