/** `maxTurns` → `max-turns`: flags and words of people are written with dashes. */
export const kebab = (word: string): string => word.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
