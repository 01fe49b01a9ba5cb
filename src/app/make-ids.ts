import {
  type ClaimId,
  type HostId,
  type Instant,
  type LinkId,
  msOf,
  type ProjectId,
  type QuestionId,
  type RunId,
  type TaskId,
  type TokenId,
} from '../domain/values.ts';
import { systemClock } from '../platform/clock.ts';
import { makeUlids } from '../platform/ids.ts';

export function makeIds() {
  const ulid = makeUlids(systemClock.now);
  return {
    task: (at?: Instant) => `task_${ulid(at === undefined ? undefined : msOf(at))}` as TaskId,
    run: () => `run_${ulid()}` as RunId,
    claim: () => `claim_${ulid()}` as ClaimId,
    project: () => `project_${ulid()}` as ProjectId,
    question: () => `question_${ulid()}` as QuestionId,
    token: () => `token_${ulid()}` as TokenId,
    host: () => `host_${ulid()}` as HostId,
    link: () => `link_${ulid()}` as LinkId,
  };
}
