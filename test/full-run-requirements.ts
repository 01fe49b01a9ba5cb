/**
 * Requirements that `npm test` does not prove: all tests that cite them are too long for it, and run in `npm run test:full`. An id that a test of
 * `npm test` cites has no place here; tools/proved.ts says which must go.
 */
export const fullRunRequirements: readonly string[] = ['R34'];
