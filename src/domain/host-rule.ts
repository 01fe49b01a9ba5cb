import { z } from 'zod';

/** A host name, `*.name` or an address, each with an optional port; or `*` for every host. */
export const HostRule = z
  .string()
  .max(300)
  .regex(
    /^(?:\*|(?:\[[0-9A-Fa-f:.]+\]|(?:\*\.)?[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?)(?::\d{1,5})?)$/,
    'not a host like example.org, *.example.org or 127.0.0.1:8080',
  );
