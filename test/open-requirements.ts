/**
 * Requirements no test proves yet. The list only shrinks: a test that cites an id takes it off here, and the number
 * below goes down with it. `test/requirements.test.ts` says which entries must go.
 */
export const OPEN_AT_MOST = 70;

export const openRequirements: readonly string[] = `
  CONF-02
  TASK-10 TASK-14
  RUN-11 RUN-17
  WORK-01 WORK-02 WORK-07 WORK-09 WORK-10
  FLOW-01 FLOW-02 FLOW-03 FLOW-04 FLOW-05 FLOW-06 FLOW-07 FLOW-08 FLOW-09
  AUTO-01 AUTO-02 AUTO-03 AUTO-04 AUTO-05 AUTO-07 AUTO-09
  TEAM-01 TEAM-02 TEAM-03 TEAM-04 TEAM-05 TEAM-06 TEAM-07 TEAM-08 TEAM-09 TEAM-10
  API-02 API-10 API-11
  WEB-01 WEB-02 WEB-03 WEB-04 WEB-05 WEB-06 WEB-07
  STORE-01 STORE-02 STORE-03 STORE-07
  DIA-01 DIA-02 DIA-03 DIA-04 DIA-05
  R7 R8 R10 R12 R19 R20 R35 R36 R37 R40 R42
  T15 T21
  T29
  P5
`
  .trim()
  .split(/\s+/);
