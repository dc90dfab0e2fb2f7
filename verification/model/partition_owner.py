#!/usr/bin/env python3
"""Model of one journal partition and its owners (docs/decisions/0120): ownership, projection, index, commit.

usage: partition_owner.py [--runs 20000] [--seed 1] [--break NAME]
Processes are generators that stop at every read or write of something shared; a seeded scheduler interleaves them, kills and freezes them,
moves the partition, empties the index or puts an older copy of it back. Checked: every published event, every state that is used and every
state of the index is the fold of the log; in the end every record's event was published, index and commit are complete.
--break plants a fault; each must be found.
"""
import argparse, copy, random, sys

BREAKS = {
    'any-marker': 'a state from the index is used whatever its marker',
    'no-cas': 'the index is written without comparing its marker',
    'commit-first': 'the commit comes before the events',
    'index-first': 'the index comes before the events',
    'publish-from-commit': 'the index is not restored up to the commit: projection goes on at the commit',
    'fold-again': 'a record below the last one of a loaded state is folded again',
    'captured-later': 'a batch is written with the newest state instead of the one at its end',
    'keep-memory': 'memory is kept when the partition is placed anew',
}
KEYS = 'abc'

class Moved(Exception): pass
class Wrong(Exception): pass

def step(state, offset):                       # the fold: any gap, repeat or exchange changes the result
    count, chain, _ = state
    return (count + 1, hash((chain, offset)) & 0xffffffff, offset)
EMPTY = (0, 0, -1)

class World:
    def __init__(self, rng, broken):
        self.rng, self.broken = rng, broken
        self.log, self.truth = [], []          # key per offset; state of that key after it
        self.events = set()
        self.generation, self.owner, self.committed = 0, None, 0
        self.index = {'marker': None, 'states': {}, 'token': None}
        self.copies = []
    def append(self, key):
        last = next((s for k, s in zip(reversed(self.log), reversed(self.truth)) if k == key), EMPTY)
        self.log.append(key); self.truth.append(step(last, len(self.log) - 1)); return len(self.log) - 1
    def true_state(self, key, until):          # of the records below `until`
        return next((self.truth[o] for o in range(min(until, len(self.log)) - 1, -1, -1) if self.log[o] == key), EMPTY)
    def publish(self, offset, state):
        if self.truth[offset] != state: raise Wrong(f'event of {offset} is not the fold')
        self.events.add(offset)
    def check_used(self, key, state, reached):
        if state != (self.true_state(key, state[2] + 1) if state[2] >= 0 else EMPTY): raise Wrong(f'state of {key} is no fold of the log')
        if state[2] < self.true_state(key, reached)[2]: raise Wrong(f'state of {key} lacks a record below {reached}')
    def check_index(self):
        i = self.index
        if i['marker'] is None: return
        for key in KEYS: self.check_used(key, i['states'].get(key, EMPTY), i['marker'] + 1)
    # each of the following is one atomic command
    def read(self, keys): i = self.index; return {k: i['states'].get(k, EMPTY) for k in keys} if i['marker'] is not None else {}, i['marker']
    def write(self, since, to, states):
        i = self.index
        if i['marker'] != since and not (self.broken == 'no-cas' and i['marker'] is not None): raise Moved
        i['states'].update(states); i['marker'] = to; self.check_index()
    def begin_rebuild(self):
        i = self.index
        if i['marker'] is not None: raise Moved
        i['token'] = object(); i['states'] = {}; return i['token']
    def rebuild_write(self, token, states):
        if self.index['token'] is not token: raise Moved
        self.index['states'].update(states)
    def finish(self, token, marker):
        i = self.index
        if i['token'] is not token: raise Moved
        i['token'] = None; i['marker'] = marker; self.check_index()
    def commit(self, generation, offset):
        """Fenced by the generation. Safety does not need that (an old commit only makes events come again), order of work does."""
        if generation != self.generation: return False
        self.committed = offset; return True

class Task:
    """One assignment of the partition at one process."""
    def __init__(self, world, generation):
        self.w, self.generation = world, generation
        self.memory, self.position, self.covers, self.next, self.batches = {}, 0, 0, None, []
        self.is_lost = False
        self.run = self.main()
    def main(self):
        while not self.is_lost:
            try: yield from self.place(); yield from self.serve()
            except Moved: self.next = None; yield
    def place(self):
        w = self.w; self.batches = []
        if w.broken != 'keep-memory': self.memory = {}
        _, marker = w.read(()); yield
        committed = w.committed; yield
        if marker is None:
            token = w.begin_rebuild(); yield
            states = {}
            for o in range(committed):
                k = w.log[o]; states[k] = step(states.get(k, EMPTY), o)
                if w.rng.random() < .3: w.rebuild_write(token, dict(states)); yield
            w.rebuild_write(token, dict(states)); yield
            w.finish(token, committed - 1); marker = committed - 1; yield
        elif marker < committed - 1 and w.broken != 'publish-from-commit':
            while marker < committed - 1:                     # published before: not again
                to = min(committed - 1, marker + w.rng.randint(1, 4)); keys = {w.log[o] for o in range(marker + 1, to + 1)}
                states, seen = w.read(keys); yield
                if seen != marker: raise Moved
                for o in range(marker + 1, to + 1): states[w.log[o]] = step(states[w.log[o]], o)
                w.write(marker, to, states); marker = to; yield
        self.position = self.covers = self.next = max(marker + 1, committed) if w.broken == 'publish-from-commit' else marker + 1
        if self.next > committed:                               # the index is ahead: killed before its commit
            if not w.commit(self.generation, self.next): self.is_lost = True
            yield
    def take(self):
        """The reader brings records: folded at once where the order is in memory."""
        w = self.w; end = min(len(w.log), self.position + w.rng.randint(1, 4))
        if end == self.position: return
        states, events, raw = {}, [], {}
        for o in range(self.position, end):
            k = w.log[o]; known = self.memory.get(k)
            if known is None or k in raw or (o <= known[2] and w.broken != 'fold-again'): raw.setdefault(k, []).append(o); continue
            self.memory[k] = states[k] = step(known, o); events.append((o, states[k]))
        for k in raw:                                           # folded when projected, on the index
            states.pop(k, None); events = [(o, s) for o, s in events if w.log[o] != k]
            if k in self.memory:                                # memory is ahead of the reader, or became so
                for o in raw[k]:
                    if o > self.memory[k][2]: self.memory[k] = step(self.memory[k], o)
            raw[k] = [o for o in range(self.position, end) if w.log[o] == k]
        self.batches.append((self.position, end - 1, states, events, raw)); self.position = end
    def load(self, key):
        """An executor asks for an order that is not in memory."""
        w = self.w; covers = self.covers
        states, marker = w.read((key,)); yield
        if self.next is None or key in self.memory: return
        if w.broken != 'any-marker' and (marker is None or marker < self.covers - 1): return    # a gap: ask again later
        state = states.get(key, EMPTY)
        for o in range(self.covers, self.position):
            if w.log[o] == key and (o > max(state[2], marker if marker is not None else -1)): state = step(state, o)
        self.memory[key] = state
    def serve(self):
        w = self.w
        while not self.is_lost:
            what = w.rng.random()
            if what < .35: self.take(); yield
            elif what < .5: yield from self.load(w.rng.choice(KEYS))
            elif what < .6:
                for k in [k for k, s in self.memory.items() if s[2] < self.next]: del self.memory[k]
                self.covers = self.next; yield
            elif what < .75 and self.memory:                    # a verdict is read from memory
                k = w.rng.choice(list(self.memory)); w.check_used(k, self.memory[k], self.position); yield
            elif self.batches: yield from self.project()
            else: yield
    def project(self):
        w = self.w; first, to, states, events, raw = self.batches[0]
        states, events = dict(states), list(events)
        if raw:
            stored, marker = w.read(raw); yield
            if marker != self.next - 1: raise Moved
            for k, offsets in raw.items():
                s = stored[k]
                for o in offsets:
                    if o <= s[2] and w.broken is None: raise Wrong(f'the index holds a state of {k} ahead of its marker')
                    s = step(s, o); events.append((o, s))
                states[k] = s
        if w.broken == 'captured-later':
            states = {k: self.memory.get(k, s) for k, s in states.items()}
        if w.broken == 'commit-first': w.commit(self.generation, to + 1); yield
        if w.broken == 'index-first': w.write(self.next - 1, to, states); yield
        for o, s in sorted(events): w.publish(o, s); yield
        if w.broken != 'index-first': w.write(self.next - 1, to, states); yield
        self.batches.pop(0); self.next = to + 1
        if not w.commit(self.generation, self.next): self.is_lost = True
        yield

def run(seed, broken):
    rng = random.Random(seed); w = World(rng, broken); tasks, frozen = [], {}
    def move():
        w.generation += 1; new = Task(w, w.generation)
        for t in tasks:                                         # who hears of it at once, and who goes on as a zombie
            if rng.random() < .6: t.is_lost = True
        tasks.append(new)
    move(); facts = {'moves': 1, 'kills': 0, 'flushes': 0, 'restores': 0, 'records': 0}
    for _ in range(rng.randint(60, 260)):
        r = rng.random()
        if r < .22: w.append(rng.choice(KEYS))
        elif r < .24: move(); facts['moves'] += 1
        elif r < .25 and tasks: tasks.pop(rng.randrange(len(tasks))); facts['kills'] += 1
        elif r < .257: w.index = {'marker': None, 'states': {}, 'token': None}; facts['flushes'] += 1
        elif r < .275: w.copies.append(copy.deepcopy({**w.index, 'token': None}))
        elif r < .285 and w.copies: w.index = copy.deepcopy(rng.choice(w.copies)); facts['restores'] += 1
        elif r < .31 and tasks: frozen[id(rng.choice(tasks))] = rng.randint(5, 60)
        else:
            awake = [t for t in tasks if frozen.get(id(t), 0) <= 0]
            for k in frozen: frozen[k] -= 1
            if awake:
                t = rng.choice(awake)
                if next(t.run, 'end') == 'end': tasks.remove(t)
    last = None                                                 # calm: one owner, no faults
    for t in tasks: t.is_lost = True
    w.generation += 1; last = Task(w, w.generation)
    for _ in range(6000):
        if w.committed == len(w.log) and w.index['marker'] == len(w.log) - 1: break
        if next(last.run, 'end') == 'end': raise Wrong('the last owner ended')
    else: raise Wrong(f'never complete: commit {w.committed}, marker {w.index["marker"]}, log {len(w.log)}')
    missing = set(range(len(w.log))) - w.events
    if missing: raise Wrong(f'events never published: {sorted(missing)[:5]}')
    w.check_index(); facts['records'] = len(w.log); return facts

def main():
    ap = argparse.ArgumentParser(); ap.add_argument('--runs', type=int, default=20000); ap.add_argument('--seed', type=int, default=1); ap.add_argument('--break', dest='broken', choices=[*BREAKS, 'all'])
    o = ap.parse_args(); sums = {}
    if o.broken == 'all':
        bad = 0
        for name in BREAKS:
            for i in range(o.runs):
                try: run(o.seed + i, name)
                except Wrong as e: print(f'{name}: found after {i + 1} runs: {e}'); break
            else: print(f'{name}: NOT FOUND in {o.runs} runs'); bad += 1
        return 1 if bad else 0
    for i in range(o.runs):
        try: facts = run(o.seed + i, o.broken)
        except Wrong as e: print(f'seed {o.seed + i}: {e}'); return 1
        for k, v in facts.items(): sums[k] = sums.get(k, 0) + v
    print(f'{o.runs} runs, 0 wrong; {sums}'); return 0
if __name__ == '__main__': sys.exit(main())
