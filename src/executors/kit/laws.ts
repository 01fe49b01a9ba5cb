import { launchLaws } from './launch-laws.ts';
import type { Law } from './law.ts';
import { type Member, reducerLaws } from './reducer-laws.ts';

/** All laws of executors. */
export const lawsOf = (member: Member): readonly Law[] => [...launchLaws(member.executor), ...reducerLaws(member)];
