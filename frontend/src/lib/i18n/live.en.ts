/** The texts of the live run and of the gates. */
export const live = {
  title: 'Run',
};
