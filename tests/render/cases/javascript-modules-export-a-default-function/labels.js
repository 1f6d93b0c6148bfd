export const labels = (name) => ({ app: name });
