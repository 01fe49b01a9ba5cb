import { launchLaws } from './launch-laws.ts';
import type { ExecutorLaw } from './law.ts';
import { type LawSubject, reducerLaws } from './reducer-laws.ts';

/** All laws of executors. */
export const lawsOf = (member: LawSubject): readonly ExecutorLaw[] => [...launchLaws(member.executor), ...reducerLaws(member)];
