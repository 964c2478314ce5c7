// Tokenizers are not published. Measured with those that are, texts of people come to less than half of these numbers,
// random letters to nearly all. A byte a token would be certain, and would refuse most of what is asked.
const inWord = 0.35;
const repeated = 0.25;
const ofRandom = 0.8;
// Of a UTF-16 unit: of two bytes in UTF-8, and of more. A character outside the basic plane has two units.
const ofTwoBytes = 1.25;
const ofMoreBytes = 2;
/** From so many characters on, letters and digits without a break may be no words: a key, a hash, packed content. */
const longestWord = 20;

const lower = 1;
const upper = 2;
const digit = 3;
const space = 4;
const sign = 5;
const kinds = Uint8Array.from({ length: 128 }, (_, code) => kindOf(String.fromCharCode(code)));

function kindOf(character: string): number {
  if (/[a-z]/.test(character)) return lower;
  if (/[A-Z]/.test(character)) return upper;
  if (/\d/.test(character)) return digit;
  return character <= ' ' ? space : sign;
}

/**
 * How many tokens a text may come to, for practical purposes never fewer than it does: of words and code about one for
 * two or three bytes, of base64 and random text up to one a byte, of other scripts up to two a character.
 */
export function estimateMostTokens(text: string): number {
  let sum = 0;
  let before = space;
  let last = -1;
  // Of the letters and digits read without a break: how many, how often their kind changed, what they count as words.
  let length = 0;
  let changes = 0;
  let asWords = 0;
  const endRun = (): void => {
    const isRandom = length >= longestWord && (changes === 0 || changes * 4 >= length);
    sum += isRandom ? Math.max(asWords, length * ofRandom) : asWords;
    length = changes = asWords = 0;
  };
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const kind = kinds[code] ?? 0;
    if (code === last) sum += repeated;
    else if (kind === 0 || kind >= space) {
      endRun();
      sum += kind === 0 ? (code < 0x800 ? ofTwoBytes : ofMoreBytes) : kind === sign ? 1 : costOfSpace(before);
    } else {
      const goesOn = kind !== digit && (kind === before || (kind === lower && before === upper));
      if (length > 0 && kind !== before) changes += 1;
      length += 1;
      asWords += goesOn ? inWord : 1;
    }
    before = kind;
    last = code;
  }
  endRun();
  return Math.ceil(sum);
}

/** One space is part of the word after it. */
function costOfSpace(before: number): number {
  return before === space ? repeated : 0;
}
