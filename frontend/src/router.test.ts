import { describe, expect, test } from 'vitest';
import { parse, type Route, to } from './router.svelte';

describe('parse', () => {
  const cases: [string, Route][] = [
    ['', { screen: 'runs', show: 'all' }],
    ['#/runs', { screen: 'runs', show: 'all' }],
    ['#/runs?show=needs', { screen: 'runs', show: 'needs' }],
    ['#/runs?show=anything', { screen: 'runs', show: 'all' }],
    ['#/new', { screen: 'new' }],
    ['#/doctor', { screen: 'doctor' }],
    ['#/run/2026-q3', { screen: 'run', id: '2026-q3' }],
    ['#/run/a%2Fb', { screen: 'run', id: 'a/b' }],
    ['#/run/r1/round/7', { screen: 'run', id: 'r1', round: 7 }],
    ['#/run/r1/round/7/audit', { screen: 'run', id: 'r1', round: 7, tab: 'audit' }],
    ['#code=ab-12', { screen: 'sign-in', code: 'ab-12' }],
  ];
  test.each(cases)('reads %j', (hash, route) => {
    expect(parse(hash)).toEqual(route);
  });

  test.each([
    '#/nowhere',
    '#/run',
    '#/run/r1/round/0',
    '#/run/r1/round/x',
    '#/run/r1/round',
    '#/new/more',
    '#/run/r1/round/1/a/b',
  ])('finds nothing at %j', (hash) => {
    expect(parse(hash)).toEqual({ screen: 'lost', hash: hash.slice(1) });
  });

  test('survives a lone percent sign', () => {
    expect(parse('#/run/100%')).toEqual({ screen: 'run', id: '100%' });
  });
});

test('an address leads back to its route', () => {
  const routes: Route[] = [
    { screen: 'runs', show: 'all' },
    { screen: 'runs', show: 'finished' },
    { screen: 'new' },
    { screen: 'doctor' },
    { screen: 'run', id: 'ä/1?#' },
    { screen: 'run', id: 'r', round: 3 },
    { screen: 'run', id: 'r', round: 3, tab: 'plan' },
    { screen: 'lost', hash: '/nowhere' },
  ];
  for (const route of routes) expect(parse(to(route))).toEqual(route);
});

test('a code never becomes an address', () => {
  expect(to({ screen: 'sign-in', code: 'secret' })).toBe('#/runs');
});
