import { createSubscriber } from 'svelte/reactivity';

// One timer for everything on the page that grows older, and none while
// nothing does.
const seconds = createSubscriber((tick) => {
  const timer = setInterval(tick, 1000);
  return () => clearInterval(timer);
});

/** now is the time in unix ms; whoever reads it in a template is told anew each
 * second. */
export function now(): number {
  seconds();
  return Date.now();
}
