"""Korean phrases of the sample."""

from __future__ import annotations

from typing import Final

from transforms.sample.language import Language

KOREAN: Final = Language(
    code="ko",
    asks={
        "support": (
            "주문 {order}은 언제 도착하나요? {date}까지 온다고 했어요.",
            "주문 {order}의 {product}, {part} 쪽이 망가져서 왔어요. 어떻게 하면 되나요?",
            "배송지를 {street}로 바꿔 주세요. 전화번호는 {phone}입니다.",
            "{amount}달러가 두 번 결제됐어요. 이메일은 {email}입니다.",
            "{product} 반품하고 싶어요. {flaw}.",
        ),
        "travel": (
            "{date}에 {home}에서 {city}로 가는 항공편을 찾아 주세요. {n}일 뒤에 돌아옵니다.",
            "{city}에서 {amount}달러 이하의 조용한 호텔이 있나요? {hotel}은 어때요?",
            "예약 {booking}의 이름이 틀렸어요. {name}으로 고쳐 주세요.",
            "비 오는 날 {city}에서 무엇을 하면 좋을까요?",
        ),
        "coding": (
            "커밋 {commit} 이후로 {file}의 {function}에서 `{error}` 오류가 나요. 봐 주세요.",
            "{file}에 있는 {function} 테스트를 작성해 주세요.",
            "{file}에서 {library} 대신 {library}를 쓰려면 어떻게 하죠?",
            "{branch} 빌드가 {n}분이나 걸려요. 왜 그럴까요?",
        ),
    },
    tells={
        "support": (
            "주문 {order}은 {date}에 창고를 떠나 지금 {carrier}에 있습니다.",
            "{product} 보증 기간은 {n}개월이며 {part}도 포함됩니다.",
            "두 번째 {amount}달러 결제는 임시 승인이라 {n}일 안에 사라집니다.",
            "교체용 {part} 재고가 {n}개 있어 오늘 {street}로 보낼 수 있습니다.",
            "기록을 보면 {time}에 배송을 시도했지만 아무도 없었습니다.",
            "환불 금액 {amount}달러는 결제하신 카드로 돌아갑니다.",
            "계정 이름은 {name}이고 영수증은 {email}로 보냅니다.",
        ),
        "travel": (
            "{airline}은 {time}에 {city}로 출발하며 {amount}달러, 수하물 {n}킬로가 포함됩니다.",
            "{city}의 {hotel}에는 조식 포함 {amount}달러짜리 안뜰 쪽 방이 있습니다.",
            "{city}와 {city} 사이 기차는 {n}시간 걸리지만 해안 풍경이 좋습니다.",
            "예약 {booking}은 {date}까지 {amount}달러에 변경할 수 있습니다.",
            "{flight}편 {seat} 좌석이 아직 비어 있고 창가입니다.",
            "{date} 무렵 {city}에 축제가 있어 방이 금방 없어집니다.",
            "{sight} 쪽을 추천합니다. 걸어서 {n}분 정도입니다.",
        ),
        "coding": (
            "원인은 {file} {line}번째 줄입니다. {function}이 반복문이 끝난 뒤에도 참조를 잡고 있습니다.",
            "`{error}`는 {library}가 빈 페이지를 줄 때만, 약 {percent}% 확률로 나타납니다.",
            "커밋 {commit}에서 {library} 기본값이 바뀌어 {function}이 시간대 없는 값을 받습니다.",
            "{file} 테스트가 다시 통과합니다. {n}개가 집합의 순서에 기대고 있었습니다.",
            "{branch}에서는 {library} 내려받기가 시간의 {percent}%를 차지합니다.",
        ),
    },
    facts=(
        "참고로 저는 {allergy} 알레르기가 있으니 기억해 주세요.",
        "저희 집 {pet} 이름은 {pet_name}이고 항상 같이 다녀요.",
        "저는 {street}에 살고 금요일에는 집에서 일해요.",
        "앞으로는 {email}로만 연락해 주세요.",
        "고를 수 있다면 {preference} 쪽이 좋아요.",
        "{time} 이후에는 {phone}으로 전화 주세요.",
    ),
    opens=("하나씩 살펴보겠습니다.", "확인해 보았습니다.", "네, {name}님.", "찾은 내용은 다음과 같습니다."),
    advises=(
        "화면에 다르게 보이면 다시 확인해 드리겠습니다.",
        "{date}에 바뀔 수도 있습니다.",
        "확인 번호 {order}을 보관해 주세요.",
        "다른 방법은 {amount}달러 더 들지만 {n}분을 아낍니다.",
        "{preference}을 좋아하시니 첫 번째가 더 맞겠습니다.",
        "{time} 전에는 따로 하실 일이 없습니다.",
    ),
    thinks=("사용자는 {topic}에 대해 묻고 있다.", "먼저 {topic}부터 확인하자.", "후보가 {n}개라 비교해야 한다.",
            "{date} 날짜가 중요하다.", "추측보다 도구가 낫다."),
    closes=("이대로 진행할까요?", "더 필요한 것이 있나요?", "{date}은 괜찮으세요?", "도움이 되었으면 합니다."),
    retries=("오류가 났어요. 다시 해 주세요.", "중간에 끊겼어요. 계속해 주세요."),
    names=("김서연", "박도현", "이하은", "최민재", "정유나", "한지호"),
    words={
        "product": ("헤드폰", "커피 그라인더", "스탠드 조명", "전자책 단말기", "전기 주전자", "비옷"),
        "part": ("경첩", "충전 케이블", "뚜껑", "전원 버튼", "필터", "지퍼"),
        "flaw": ("긁혀 있어요", "너무 시끄러워요", "색이 달라요", "물이 새요"),
        "allergy": ("땅콩", "갑각류", "페니실린", "꽃가루"),
        "pet": ("강아지", "고양이", "앵무새", "거북이"),
        "pet_name": ("보리", "두부", "구름이", "까미"),
        "preference": ("창가 자리", "야간열차", "작은 호텔", "채식"),
        "sight": ("오래된 등대", "식물원", "항구 박물관", "케이블카"),
        "topic": ("주문", "여행 일정", "실패한 테스트", "환불", "날짜"),
    },
)  # fmt: skip
