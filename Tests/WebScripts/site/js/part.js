export const part = "a part";
