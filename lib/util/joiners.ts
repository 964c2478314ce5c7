const joining = String.raw`[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}]`;
const picture = String.raw`\p{Extended_Pictographic}`;

/** A joiner between two pictures, which makes one emoji of them: it hides nothing. */
export const pictureJoiner = new RegExp(
  String.raw`(?<=${picture}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=${picture})`,
  'gu',
);

/** A joiner that Arabic, Persian or an Indic language writes within a word (UAX #31, joining controls). */
const letterJoiner = String.raw`(?<=${joining})[\u200c\u200d](?=${joining})`;

/** The source of a regular expression (flag `u`): a joiner that writing needs, of pictures or within a word. */
export const neededJoiner = `${pictureJoiner.source}|${letterJoiner}`;
