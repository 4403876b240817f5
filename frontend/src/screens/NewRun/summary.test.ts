import { expect, test } from 'vitest';
import { inspectionOf } from '../../testing';
import { summary } from './summary';

test('one agent in all roles is said once', () => {
  expect(summary(inspectionOf(), 'en')).toBe(
    'playbook plays all roles. It stops to ask after 20 rounds. Only /home/ada/reports may change. It goes on when this page is closed.',
  );
});

test('different agents and several limits are all said', () => {
  const found = inspectionOf({
    roles: [
      { role: 'manager', agent: 'codex', usable: true },
      { role: 'executor', agent: 'claude', usable: true },
      { role: 'auditor', agent: 'deepseek', usable: true },
    ],
    limits: [
      { name: 'rounds', limit: 1 },
      { name: 'active_ms', limit: 6 * 3_600_000 },
      { name: 'micro_usd', limit: 20_000_000 },
      { name: 'tokens' },
    ],
  });
  expect(summary(found, 'en')).toContain(
    'codex plans, claude acts, deepseek audits. It stops to ask after 1 round, 6 h 0 m of work or $20.00.',
  );
});

test('no limit at all is said', () => {
  expect(summary(inspectionOf({ limits: [] }), 'en')).toContain('It has no limit.');
});

test('it does not promise what the guard cannot do', () => {
  expect(summary(inspectionOf({ guard: 'detect' }), 'en')).toContain(
    'They work in /home/ada/reports; nothing confines them to it, what changes there is seen.',
  );
});
