"""What workers send one another lives on the CPU."""

from __future__ import annotations

from typing import Any

import pytest

from autograd_cli.distributed.values import array_specs
from autograd_cli.errors import BadArgument
from autograd_cli.torch_api.modules import modules

torch: Any = modules()["torch"]


def test_a_tensor_of_a_device_is_not_sent_to_another_worker(transfers: Any) -> None:
    with pytest.raises(BadArgument, match="cuda:0") as caught:
        array_specs([torch.ones(2), torch.ones(2, device="cuda")])
    assert "x.cpu()" in str(caught.value.hint)
    assert transfers["to_host"] == 0
    specs, arrays = array_specs([torch.ones(2, device="cuda").cpu(), torch.tensor(1)])
    assert specs == [("float32", [2]), ("int64", [])]
    assert [a.ravel().tolist() for a in arrays] == [[1.0, 1.0], [1]]
