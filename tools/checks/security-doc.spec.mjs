import { readFileSync } from 'node:fs';
import { COMMAND_TOPICS, TOPICS } from '@tranche/contracts';

const text = readFileSync('docs/operate/security.md', 'utf8');
const [, section] = /^## Who may write and read which topic$([\s\S]*?)^By principal/m.exec(text);
const rows = [...section.matchAll(/^\| `([\w.-]+)`\s*\|([^|]*)\|([^|]*)\|$/gm)].map(([, topic, writers, readers]) => ({
  topic,
  writers,
  readers,
}));

describe('the table of who may write and read which topic', () => {
  it('has a row for every topic, and no other', () => {
    expect(rows.map(({ topic }) => topic).sort()).toEqual(
      Object.values(TOPICS)
        .map(({ name }) => name)
        .sort(),
    );
  });

  it.each(Object.values(TOPICS))(
    '$name is written by $writtenBy, a command topic by the gateway too, and read by $readBy',
    ({ name, writtenBy, readBy }) => {
      const isForwarded = Object.values(COMMAND_TOPICS).some((topic) => topic.name === name);
      const { writers, readers } = rows.find(({ topic }) => topic === name);
      expect(writers.trim().replace('commerce services', 'commerce')).toBe(
        isForwarded ? `${writtenBy}, payment-gateway (forwards)` : writtenBy,
      );
      expect(readers).toContain(readBy);
    },
  );
});
