/**
 * What a name looks like, for names that must not be taken for each other: without case, marks, spaces and signs that cannot be
 * seen, and with the letters of other alphabets that look like Latin ones in their place. Two names that look alike have one
 * likeness; that two others share one too costs a refusal, and nothing else.
 */
export function likenessOf(name: string): string {
  const plain = name.normalize('NFKD').toLowerCase().normalize('NFKD').replace(UNSEEN, '');
  return [...plain]
    .map((letter) => LOOKS_LIKE.get(letter) ?? letter)
    .join('')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w');
}

/** Marks, spaces, punctuation, and letters that are drawn as nothing. */
const UNSEEN = /[\p{M}\p{Z}\p{P}\p{C}\u115f\u1160\u3164\uffa0]/gu;

const ALPHABETS: Readonly<Record<string, string>> = {
  a: 'аαɑаａ',
  b: 'вьƅ',
  c: 'сϲᴄⅽ',
  d: 'ԁⅾ',
  e: 'еєεҽ℮',
  f: 'ғſϝ',
  g: 'ɡցԍ',
  h: 'һհн',
  i: 'іιıⅰl1|ӏӀɩɪ',
  j: 'јϳ',
  k: 'кκᴋ',
  m: 'мⅿᴍ',
  n: 'ոпηɴ',
  o: 'оοօ0ᴏσ',
  p: 'рρⲣ',
  q: 'ԛգ',
  r: 'гᴦⲅ',
  s: 'ѕꜱ5',
  t: 'тτᴛ',
  u: 'υսᴜц',
  v: 'νѵᴠⅴ',
  w: 'ԝωшա',
  x: 'хχⅹ',
  y: 'уγүყʏ',
  z: 'ᴢ2',
};

const LOOKS_LIKE = new Map(
  Object.entries(ALPHABETS).flatMap(([latin, others]) => [...others].map((other) => [other, latin] as const)),
);
