"""The errors of sequences, against plain loops over single steps."""

import numpy as np
import pytest
import torch

from offbelief.agents.networks.building import build_recurrent
from offbelief.agents.networks.recurrent import RecurrentSettings
from offbelief.agents.seat_views import hanabi_views
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.learning.sequence_batch import SequenceBatch
from offbelief.learning.sequence_loss import SequenceErrors, card_losses, n_step_targets

STEPS, SIZE = 5, 3
LENGTHS = [5, 3, 1]


def network(seed, cards=0):
    torch.manual_seed(seed)
    views = hanabi_views(HanabiGame("very-small", "v0-belief"))
    return build_recurrent(views, RecurrentSettings(width=8), cards=cards)


def batch(together=1, targets=None, labels=None):
    rng = np.random.default_rng(0)
    model = network(0)
    features, moves = model.private[0].in_features, model.advantages.out_features
    legal = rng.random((STEPS, SIZE * together, moves)) < 0.6
    legal[..., 0] = True
    return SequenceBatch(
        observations=torch.from_numpy(rng.random((STEPS, SIZE * together, features), np.float32)),
        legal=torch.from_numpy(legal),
        moves=torch.zeros((STEPS, SIZE * together), dtype=torch.int64),
        rewards=torch.from_numpy(rng.random((STEPS, SIZE), np.float32)),
        running=torch.arange(STEPS)[:, None] < torch.tensor(LENGTHS),
        targets=targets,
        labels=labels,
    )


def step_by_step(model, given):
    """Q-values [T, M, A], one step at a time from an empty memory."""
    memory, found = model.new_memory(given.moves.shape[1]), []
    with torch.no_grad():
        for observations, legal in zip(given.observations, given.legal, strict=True):
            memory = model.remember(observations, memory)
            found.append(model.value(observations, legal, memory))
    return torch.stack(found)


@pytest.mark.parametrize("together", [1, 2])
@pytest.mark.parametrize("n_step", [1, 3])
def test_errors_are_those_of_double_q_learning_step_by_step(together, n_step):
    online, target, given, discount = network(0), network(1), batch(together), 0.9
    errors = SequenceErrors(online, target, given, n_step=n_step, discount=discount)
    q_online, q_target = step_by_step(online, given), step_by_step(target, given)
    for sequence, length in enumerate(LENGTHS):
        views = range(sequence * together, (sequence + 1) * together)
        for step in range(STEPS):
            if step >= length:
                assert not errors.learned[step, sequence]
                assert 0.0 == errors.values[step, sequence].detach() == errors.targets[step, sequence]
                continue
            value = sum(float(q_online[step, view, 0]) for view in views)  # VDN's sum is a sum
            expected = sum(
                discount**ahead * float(given.rewards[step + ahead, sequence])
                for ahead in range(n_step)
                if step + ahead < length
            )
            if step + n_step < length:
                for view in views:
                    legal = given.legal[step + n_step, view]
                    best = q_online[step + n_step, view].masked_fill(~legal, -1e9).argmax()
                    expected += discount**n_step * float(q_target[step + n_step, view, best])
            assert value == pytest.approx(float(errors.values[step, sequence].detach()), abs=1e-5)
            assert expected == pytest.approx(float(errors.targets[step, sequence]), abs=1e-5)


def test_kept_targets_are_learned_where_there_are_any():
    targets = torch.full((STEPS, SIZE), 2.0)
    targets[0, 0] = torch.nan  # a turn at which this seat waits
    online = network(0)
    errors = SequenceErrors(online, network(1), batch(targets=targets), n_step=1, discount=1.0)
    assert [4, 3, 1] == errors.learned.sum(0).tolist()
    assert not errors.learned[0, 0]
    assert {0.0, 2.0} == set(errors.targets.unique().tolist())
    errors.losses("squared").sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in online.parameters())


def test_losses_are_summed_over_time_and_priorities_mix_largest_and_mean():
    errors = SequenceErrors(network(0), network(1), batch(), n_step=1, discount=1.0)
    values, targets = errors.values.detach().numpy(), errors.targets.numpy()
    gap = np.abs(values - targets)
    assert (gap**2).sum(0) == pytest.approx(errors.losses("squared").detach().numpy(), rel=1e-5)
    huber = np.where(gap < 1, gap**2 / 2, gap - 0.5)
    assert huber.sum(0) == pytest.approx(errors.losses("huber").detach().numpy(), rel=1e-5)
    expected = [
        0.9 * gap[:length, place].max() + 0.1 * gap[:length, place].mean() for place, length in enumerate(LENGTHS)
    ]
    assert expected == pytest.approx(errors.priorities().numpy(), rel=1e-5)
    assert (gap**2).sum() / sum(LENGTHS) == pytest.approx(errors.mean_square(), rel=1e-5)


def test_target_network_gets_no_gradient_and_padding_none_either():
    online, target, given = network(0), network(1), batch()
    given.observations.requires_grad_(True)
    SequenceErrors(online, target, given, n_step=1, discount=1.0).losses("squared").sum().backward()
    assert all(parameter.grad is None for parameter in target.parameters())
    moved = given.observations.grad.abs().sum(-1) > 0
    assert torch.equal(given.running, moved)


def test_n_step_of_one_is_reward_and_next_value():
    rewards, values = torch.tensor([[1.0], [2.0], [3.0]]), torch.tensor([[10.0], [20.0], [30.0]])
    running = torch.ones(3, 1, dtype=torch.bool)
    assert [11.0, 17.0, 3.0] == n_step_targets(rewards, values, running, 1, 0.5).flatten().tolist()
    assert [1 + 1 + 0.75] == n_step_targets(rewards, values, running, 5, 0.5)[0].tolist()


def test_card_losses_skip_empty_slots_and_finished_games():
    guesses = torch.zeros(2, 2, 3, 3)
    guesses[0, 0, 0, 1] = 100.0
    labels = torch.full((2, 2, 3), -1)
    labels[0, 0] = torch.tensor([1, 0, -1])  # one certain and right, one at odds of a third
    labels[1] = 0
    running = torch.tensor([[True, True], [True, False]])
    third = float(np.log(3))
    assert [third / 2 + third, 0.0] == pytest.approx(card_losses(guesses, labels, running).tolist(), abs=1e-5)
    # The seats of a joint sequence add up.
    assert [third / 2 + 2 * third] == pytest.approx(
        card_losses(guesses, labels, torch.ones(2, 1, dtype=torch.bool)).tolist(), abs=1e-5
    )
