const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs `on` for each of them instead of ending the process, until it is taken back. */
export function whenSignalled(on: (signal: NodeJS.Signals) => void): Disposable {
  for (const signal of SIGNALS) process.on(signal, on);
  return {
    [Symbol.dispose]: () => {
      for (const signal of SIGNALS) process.removeListener(signal, on);
    },
  };
}

export async function untilSignalled(): Promise<void> {
  let listening: Disposable | undefined;
  await new Promise<void>((resolve) => {
    listening = whenSignalled(() => resolve());
  });
  listening?.[Symbol.dispose]();
}
