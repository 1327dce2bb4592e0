"""Train a recurrent policy on whole games: play, keep deals and moves, play them again and learn from them.

The paper's own way to train (appendix B, Table 2), for its networks with memory (`agents/networks/recurrent.py`); the
methods differ in how a move gets its target:

* `iql`: every seat's sequence for itself, rewards of n moves and the value after them;
* `vdn`: the sequences of all seats together, their values summed;
* `obl`: targets imagined while playing (`sequence_fictitious.py`) and kept with the game, never refreshed.

Other-Play, SAD and AUX are switched as for the other networks (`other_play`, `view.announced`, `learner.card_task`).

Differs from the paper's public code: one synchronous loop with a fixed ratio of updates to moves, so acting networks
are never stale, and new sequences are drawn as soon as any other instead of by an error that the actor computed.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from offbelief.agents.checkpoint import bytes_as_tensor, load_tensors, save_tensors
from offbelief.agents.loading import load_agent
from offbelief.agents.networks.building import build_recurrent
from offbelief.agents.networks.recurrent import RecurrentNetwork, RecurrentSettings
from offbelief.agents.recurrent_agent import RecurrentAgent
from offbelief.agents.seat_views import SeatViews, hanabi_views
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.games.batched import BatchedGame
from offbelief.games.hanabi.colours import draw_permutations
from offbelief.learning.building import follower_of, make_game, make_played_game
from offbelief.learning.config import RunConfig
from offbelief.learning.learner import Learner
from offbelief.learning.methods.auxiliary import card_labels
from offbelief.learning.methods.other_play import RenamedGame
from offbelief.learning.progress import Progress
from offbelief.learning.sequence_batch import play_again
from offbelief.learning.sequence_fictitious import RememberingImagination
from offbelief.learning.sequence_loss import SequenceErrors
from offbelief.learning.sequence_replay import DrawnGames, GameReplay
from offbelief.learning.sequence_rollout import SequenceRollout, play_greedy_games
from offbelief.learning.train_policy import EVALUATION_SEED
from offbelief.nouns import AnyArray, IntArray, UserError
from offbelief.streams import new_stream

_REPLAY, _COLOURS, _WEIGHTS = 3, 4, 5  # purposes of random streams
_MEMORY = "memory"
_CARD_HEAD = "card_classes."  # weights that only the auxiliary task needs


class SequenceTraining:
    """A run of a recurrent network in memory: everything that changes while it trains.

    Args:
        config: what to train; its network is recurrent, its replay and batches count sequences, its warm-up moves.
        device: where the networks are; the CPU if left out.
    """

    product = "agent"

    def __init__(self, config: RunConfig, device: torch.device | None = None) -> None:
        self.config = config
        self.device = device or torch.device("cpu")
        settings = _check(config)
        self.game = make_game(config, self.device)
        self.views, self.played_views = _make_views(config, self.game)
        torch.manual_seed(int(new_stream(config.seed, _WEIGHTS)[0] >> np.uint64(1)))
        hanabi = self.game if isinstance(self.game, HanabiGame) else None
        cards = hanabi.variant.hand_size if hanabi is not None and config.learner.card_task > 0 else 0
        self.label_cards = None if hanabi is None or not cards else _labelling(hanabi)
        network = build_recurrent(self.views, settings, cards=cards).to(self.device)
        if config.start_from:
            _begin_as(network, config.start_from)
        self.online = network
        self.learner = Learner(network, config.learner)
        self.target, self.average = (_recurrent(part) for part in (self.learner.target, self.learner.average))
        self.rollout = SequenceRollout(
            self.played_views,
            network,
            config.games,
            config.seed,
            config.exploration,
            temperature=config.temperature,
            device=self.device,
            keeps_targets=config.method == "obl",
            follower=follower_of(self.game),
        )
        self.replay = GameReplay(
            config.replay,
            self.rollout.states.dtype,
            num_seats=self.game.num_seats,
            max_turns=self.game.max_turns,
            is_joint=config.method == "vdn",
            keeps_greedy_moves=config.view.announced,
            keeps_targets=config.method == "obl",
        )
        self.replay_stream = new_stream(config.seed, _REPLAY)
        self.colour_stream = new_stream(config.seed, _COLOURS)
        self.step = 0
        self.cpu_seconds = 0.0
        self.loss = 0.0
        self.seconds = {"play": 0.0, "imagine": 0.0, "encode": 0.0, "learn": 0.0, "evaluate": 0.0}

    def plan(self, steps: int) -> None:
        """Settle how many steps the run has."""
        self.config = replace(self.config, steps=steps)

    def delivered(self) -> dict[str, Tensor]:
        """The averaged network, without what only training needs."""
        weights = self.average.state_dict()
        return {name: tensor for name, tensor in weights.items() if not name.startswith(_CARD_HEAD)}

    def advance(self) -> None:
        """One step: a move in every game, then the updates that go with it."""
        self._play()
        # Games of a step end when they end, so the warm-up counts moves.
        if (self.step + 1) * self.config.games >= self.config.warmup and len(self.replay):
            for _ in range(self.config.updates_per_step):
                self._update()
        self.step += 1

    def _play(self) -> None:
        started = time.perf_counter()
        self.rollout.look(self.online)
        moves = self.rollout.act(self.online)
        acted = time.perf_counter()
        targets = None
        if self.config.method == "obl":
            settings = self.config.fictitious.at(self.config.moment(self.step))
            imagination = RememberingImagination(self.rollout, self.online, self.target, settings)
            targets = imagination.targets(moves)
        imagined = time.perf_counter()
        self.replay.add(self.rollout.advance(moves, targets))
        self.seconds["imagine"] += imagined - acted
        self.seconds["play"] += time.perf_counter() - imagined + acted - started

    def _update(self) -> None:
        config, started = self.config, time.perf_counter()
        drawn = self.replay.sample(max(1, config.batch_size // self._together), self.replay_stream)
        if config.shuffle_colours and isinstance(self.game, HanabiGame):
            drawn = rename_colours(drawn, self.game, self.colour_stream)
        batch = play_again(self.played_views, drawn, self.device, self.label_cards)
        encoded = time.perf_counter()
        errors = SequenceErrors(
            self.online, self.target, batch, n_step=config.n_step, discount=config.fictitious.discount
        )
        losses = errors.losses(config.learner.loss)
        if errors.card_losses is not None:
            losses = losses + config.learner.card_task * errors.card_losses
        if drawn.weights is not None:
            losses = losses * torch.from_numpy(drawn.weights).to(self.device)
        self.learner.descend(losses.mean(), config.share_done(self.step))
        self.replay.renew(drawn.places, errors.priorities().cpu().numpy())
        self.loss += 0.002 * (errors.mean_square() - self.loss)
        self.seconds["encode"] += encoded - started
        self.seconds["learn"] += time.perf_counter() - encoded

    @property
    def _together(self) -> int:
        """Seats whose sequences are valued together."""
        return self.game.num_seats if self.config.method == "vdn" else 1

    def evaluate(self) -> Progress:
        """Play greedy games of the averaged network."""
        started = time.perf_counter()
        states = self.game.deal(self.config.evaluation_games, EVALUATION_SEED)
        scores = play_greedy_games(self.views, self.average, states, self.device)
        self.seconds["evaluate"] += time.perf_counter() - started
        figures = {
            "score": float(scores.mean()),
            "sem": float(scores.std(ddof=1) / np.sqrt(len(scores))),
            "third_strike": float((states["lives"] == 0).mean()) if isinstance(self.game, HanabiGame) else 0.0,
        }
        return replace(self.progress(), figures=figures)

    def progress(self) -> Progress:
        """How far it is, without figures; transitions are moves played."""
        total = sum(self.seconds.values()) or 1.0
        return Progress(
            step=self.step,
            steps=self.config.steps,
            cpu_minutes=self.cpu_seconds / 60,
            transitions=self.step * self.config.games,
            updates=self.learner.updates,
            games=self.rollout.finished,
            loss=self.loss,
            figures={},
            shares={stage: seconds / total for stage, seconds in self.seconds.items()},
        )

    def save(self, path: Path) -> None:
        """Write everything that changes."""
        tensors = {f"array/{name}": bytes_as_tensor(array) for name, array in self._arrays().items()}
        tensors |= {_MEMORY: self.rollout.memory, **self.learner.tensors()}
        counters = {"step": self.step, "updates": self.learner.updates, "added": self.replay.added}
        counters["games"] = self.rollout.finished
        measured = {"cpu_seconds": self.cpu_seconds, "loss": self.loss, "seconds": self.seconds}
        save_tensors(path, tensors, {**counters, **measured})

    def load(self, path: Path) -> None:
        """Read what `save` wrote, into this run of the same config."""
        tensors, metadata = load_tensors(path)
        try:
            for name, array in self._arrays().items():
                array.reshape(-1).view("u1")[:] = tensors[f"array/{name}"].numpy()
            self.rollout.memory.copy_(tensors[_MEMORY])
            self.learner.load(tensors)
        except (KeyError, ValueError, RuntimeError) as error:
            raise UserError(f"The checkpoint {path} does not belong to this run: {error}.") from None
        self.step, self.learner.updates = metadata["step"], metadata["updates"]
        self.replay.added, self.rollout.finished = metadata["added"], metadata["games"]
        self.loss, self.cpu_seconds, self.seconds = metadata["loss"], metadata["cpu_seconds"], metadata["seconds"]

    def _arrays(self) -> dict[str, AnyArray]:
        streams = {"replay_stream": self.replay_stream, "colour_stream": self.colour_stream}
        rollout = {f"rollout_{name}": array for name, array in self.rollout.arrays().items()}
        return {**self.replay.arrays(), **streams, **rollout}


def _check(config: RunConfig) -> RecurrentSettings:
    """Refuse what cannot be trained on sequences; gives the network's settings."""
    network = config.network
    if not isinstance(network, RecurrentSettings):
        raise UserError("Sequences are for recurrent networks; choose one, or train on transitions.")
    if config.method == "obl":
        if not network.is_public:
            raise UserError(
                "OBL needs a memory that is public, since imagined hands would not fit a private one; choose the "
                "memory 'public-lstm', 'card-gru' or 'none'."
            )
        if config.other_play:
            raise UserError("OBL imagines games in true colours; leave other_play off.")
        if config.fictitious.form == "critic":
            raise UserError("Sequences know the forms 'one-step' and 'own-turn' of OBL, not 'critic'.")
    if config.view.last_move or config.view.memory:
        raise UserError("Recurrent networks see the last move and remember by themselves; leave both out of the view.")
    if config.other_play and config.shuffle_colours:
        raise UserError("Other-Play names the colours anew already; set shuffle_colours to false.")
    return network


def _make_views(config: RunConfig, game: BatchedGame) -> tuple[SeatViews, SeatViews]:
    """What seats see of the game that the policy is for, and of the one that is played for training."""
    if not isinstance(game, HanabiGame):
        views = SeatViews(game)
        return views, views
    plain = hanabi_views(game, greedy_move=config.view.announced)
    played = make_played_game(config, game)
    if not isinstance(played, RenamedGame):
        return plain, plain

    def as_seen(states: AnyArray, seats: IntArray) -> AnyArray:
        return game.rename(states, played.names(states, seats))

    return plain, SeatViews(played, game.variant, greedy_move=config.view.announced, as_seen=as_seen)


def _labelling(game: HanabiGame) -> Callable[[AnyArray, IntArray], IntArray]:
    def label(states: AnyArray, seats: IntArray) -> IntArray:
        return card_labels(states, game.variant, seats)

    return label


def rename_colours(drawn: DrawnGames, game: HanabiGame, stream: AnyArray) -> DrawnGames:
    """Rename the colours of every game at random."""
    games = drawn.games
    permutations = draw_permutations(stream, len(games.lengths), game.variant)
    by_turn = np.repeat(permutations, games.moves.shape[1], axis=0)

    def rename(moves: IntArray) -> IntArray:
        return game.rename_moves(moves.ravel(), by_turn).reshape(moves.shape)

    greedy = None if games.greedy_moves is None else rename(games.greedy_moves)
    renamed = games._replace(
        starts=game.rename(games.starts, permutations), moves=rename(games.moves), greedy_moves=greedy
    )
    return drawn._replace(games=renamed)


def _begin_as(network: RecurrentNetwork, name: str) -> None:
    """Give a network the weights of a recurrent agent, such as the level below."""
    agent = load_agent(name)
    if not isinstance(agent, RecurrentAgent):
        raise UserError(f"{name} has no recurrent network to start from; name an agent that has.")
    try:
        missing, unknown = network.load_state_dict(agent.network.state_dict(), strict=False)
    except RuntimeError:
        raise UserError(f"The network of {name} has other sizes; start from one of the same kind.") from None
    if unknown or any(not key.startswith(_CARD_HEAD) for key in missing):
        raise UserError(f"The network of {name} is of another kind; start from one of the same kind.")


def _recurrent(network: torch.nn.Module) -> RecurrentNetwork:
    """Copies of a recurrent network are recurrent networks."""
    if not isinstance(network, RecurrentNetwork):
        raise TypeError("the learner holds networks of one sort")
    return network
