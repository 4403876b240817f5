import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { link } from '$lib/state/link.svelte';
import { prefs } from '$lib/state/prefs.svelte';
import { refusal, serve } from '../../testing';
import SignIn from './SignIn.svelte';

class Silent {
  close() {}
  addEventListener() {}
}

beforeEach(() => {
  prefs.lang = 'en';
  link.signedOut();
  globalThis.EventSource = Silent as unknown as typeof EventSource;
});

test('a code in the address is used once and is gone from it', async () => {
  history.replaceState(null, '', '#code=abc');
  const asked = serve({ 'POST /api/sign-in': () => ({}) });
  render(SignIn, { code: 'abc' });
  expect(location.hash).toBe('#/runs');
  await vi.waitFor(() => expect(link.standing).toBe('connecting'));
  expect(asked).toEqual([{ method: 'POST', path: '/api/sign-in', body: { code: 'abc' } }]);
});

test('a code can be typed, and a wrong one is said', async () => {
  const signedOut = () => refusal(401, 'signed_out', 'no such code');
  const asked = serve({ 'POST /api/sign-in': signedOut, 'GET /api/about': signedOut });
  render(SignIn, { code: '' });
  const go = screen.getByRole('button', { name: 'Sign in' });
  expect(go).toBeDisabled();
  await userEvent.type(screen.getByRole('textbox', { name: 'Code' }), ' wrong {Enter}');
  expect(await screen.findByRole('alert')).toHaveTextContent('That code is not known');
  expect(asked[0]?.body).toEqual({ code: 'wrong' });
  expect(link.standing).toBe('signed_out');
});

test('a used code is no trouble for who is signed in', async () => {
  serve({
    'POST /api/sign-in': () => refusal(401, 'signed_out', 'used'),
    'GET /api/about': () => ({ version: '1' }),
  });
  render(SignIn, { code: 'used' });
  await vi.waitFor(() => expect(link.standing).toBe('connecting'));
});
