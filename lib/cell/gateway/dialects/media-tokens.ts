/** The largest image, scaled as the APIs do it. */
export const tokensPerImage = 5_000;
export const bytesPerDocumentToken = 4;
