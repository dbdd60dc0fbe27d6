export const RECORDED_KINDS = "";
