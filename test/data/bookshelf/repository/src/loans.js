const loans = new Map([
  ['17', { id: '17', book: 'Middlemarch', reader: 'ada', due: '2026-03-01' }],
  ['18', { id: '18', book: 'Emma', reader: 'grace', due: '2026-03-04' }],
]);

export const listLoans = () => [...loans.values()];
export const findLoan = (id) => loans.get(id);
