export const taskStatuses = [
  'pending',
  'claimed',
  'done',
  'failed',
  'blocked',
  'requeued',
  'merged',
  'dropped',
] as const;
