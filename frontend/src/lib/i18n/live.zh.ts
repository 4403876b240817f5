import type { live as en } from './live.en';

export const live: typeof en = {
  title: '运行',
};
