import type { Who } from './site.ts';

/** Variables by which git signs a commit. */
export const identity = ({ name, email }: Who): Readonly<Record<string, string>> => ({
  GIT_AUTHOR_NAME: name,
  GIT_AUTHOR_EMAIL: email,
  GIT_COMMITTER_NAME: name,
  GIT_COMMITTER_EMAIL: email,
});
