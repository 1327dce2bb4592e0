"""Weights on disk: safetensors with JSON metadata, written atomically, loaded with a clear sentence when broken."""

import json
import tempfile
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from offbelief.nouns import UserError

FORMAT = "offbelief-1"


def save_tensors(path: Path, tensors: dict[str, Tensor], metadata: dict[str, Any]) -> None:
    """Write tensors and metadata beside their place and move them there: a reader never sees half a file."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as handle:
        temporary = Path(handle.name)
    try:
        contiguous = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
        save_file(contiguous, temporary, {"format": FORMAT, "json": json.dumps(metadata)})
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def load_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Read tensors and metadata.

    Raises:
        UserError: there is no such file, it is broken, or it is not ours.
    """
    if not path.exists():
        raise UserError(f"There are no weights at {path}.")
    try:
        with safe_open(path, framework="pt") as file:
            header = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a dict
    except (SafetensorError, OSError) as error:
        raise UserError(
            f"The weights at {path} are broken ({error}); use an older checkpoint or train again."
        ) from None
    if header.get("format") != FORMAT:
        raise UserError(f"The weights at {path} were not written by this version of offbelief.")
    return tensors, json.loads(header["json"])


def bytes_as_tensor(array: Any) -> Tensor:
    """See a NumPy array of records as bytes."""
    return torch.from_numpy(array.reshape(-1).view("u1"))
