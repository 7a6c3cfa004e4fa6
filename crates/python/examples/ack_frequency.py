"""A Gymnasium environment: how often should a TCP receiver acknowledge on this Wi-Fi?

An action chooses for how many segments a flow sends one ACK; a step is 50 ms of the cell. The reward is the goodput of the flow in that step in Mbit/s, less what
each millisecond of smoothed round-trip time is held to be worth. What may be set while a cell runs is said by ``ackless.Cell.set``.

    pip install gymnasium ackless
    python ack_frequency.py
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy

import ackless


class AckFrequency(gymnasium.Env[numpy.ndarray, numpy.int64]):
    """Chooses the ACK frequency of the first flow of a scenario."""

    EVERY = (1, 2, 4, 8, 16)
    """Segments for each ACK, by action."""

    def __init__(self, scenario: str = "wifi-80211n", step: str = "50ms", delay_weight: float = 0.1, **overrides: Any) -> None:
        self._scenario = ackless.Scenario(scenario, set={"run.warm_up": "0s", "run.measured": "3s", **overrides})
        self._step = step
        self._delay_weight = delay_weight
        self.action_space = gymnasium.spaces.Discrete(len(self.EVERY))
        # Goodput in Mbit/s, smoothed round trip in ms, window in packets of 1,500 bytes, packets queued, share of collided accesses.
        self.observation_space = gymnasium.spaces.Box(0.0, numpy.inf, (5,), dtype=numpy.float64)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[numpy.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        self._cell = ackless.Cell(self._scenario, scheme="tcp", seed=int(self.np_random.integers(2**63)))
        self._counted = (0, 0)
        # Until what slow start has lost is repaired, every segment above a hole is acknowledged, whatever the rule.
        self._cell.run_until("1s")
        self._cell.step(self._step)
        return self._observation(), {}

    def step(self, action: numpy.int64) -> tuple[numpy.ndarray, float, bool, bool, dict[str, Any]]:
        self._cell.set("flows.ack", self.EVERY[int(action)])
        self._cell.step(self._step)
        observation = self._observation()
        reward = float(observation[0] - self._delay_weight * observation[1])
        return observation, reward, False, self._cell.is_over, {"time": self._cell.now}

    def _observation(self) -> numpy.ndarray:
        flow, counters = self._cell.flows[0], self._cell.counters
        counted = counters["channel_accesses"], counters["collisions"]
        accesses, collisions = (now - before for now, before in zip(counted, self._counted))
        self._counted = counted
        figures = [flow.goodput, 1e3 * (flow.srtt or 0.0), (flow.cwnd or 0) / 1500, flow.queue, collisions / max(accesses, 1)]
        return numpy.array(figures, dtype=numpy.float64)


def main() -> None:
    """A bandit that tries every frequency and stays with the best."""
    environment = AckFrequency()
    rewards: dict[int, list[float]] = {}
    for action in range(len(environment.EVERY)):
        environment.reset(seed=1)
        done = False
        while not done:
            _, reward, _, done, _ = environment.step(numpy.int64(action))
            rewards.setdefault(action, []).append(reward)
    for action, seen in rewards.items():
        print(f"an ACK for {environment.EVERY[action]:2} segments: reward {sum(seen) / len(seen):6.2f} in a step of 50 ms")


if __name__ == "__main__":
    main()
